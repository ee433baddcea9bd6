#pragma once
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

// A digest context keeps the algorithm it was begun with, so a later begin with NULL costs no search for it.

/// A context begun with SHA-256, or NULL.
static inline EVP_MD_CTX *ccrypto_sha256_new(void) {
    EVP_MD *algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (algorithm == NULL || context == NULL || EVP_DigestInit_ex2(context, algorithm, NULL) != 1) {
        EVP_MD_CTX_free(context);
        context = NULL;
    }
    EVP_MD_free(algorithm);
    return context;
}

/// Writes the 32 bytes of the digest; 1 if it worked.
static inline int ccrypto_sha256(EVP_MD_CTX *context, const void *bytes, size_t length, unsigned char *digest) {
    return EVP_DigestInit_ex2(context, NULL, NULL) == 1 && EVP_DigestUpdate(context, bytes, length) == 1 &&
           EVP_DigestFinal_ex(context, digest, NULL) == 1;
}

/// A context for HMAC with SHA-256, or NULL.
static inline EVP_MAC_CTX *ccrypto_hmac_sha256_new(void) {
    EVP_MAC *algorithm = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = algorithm == NULL ? NULL : EVP_MAC_CTX_new(algorithm);
    char digest[] = "SHA256";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    if (context != NULL && EVP_MAC_CTX_set_params(context, parameters) != 1) {
        EVP_MAC_CTX_free(context);
        context = NULL;
    }
    EVP_MAC_free(algorithm);
    return context;
}

/// Writes the 32 bytes of the code; 1 if it worked. The key must not be NULL, which would mean the last key.
static inline int ccrypto_hmac_sha256(
    EVP_MAC_CTX *context, const unsigned char *key, size_t key_length, const unsigned char *bytes, size_t length,
    unsigned char *code
) {
    size_t written = 0;
    return EVP_MAC_init(context, key, key_length, NULL) == 1 && EVP_MAC_update(context, bytes, length) == 1 &&
           EVP_MAC_final(context, code, &written, 32) == 1 && written == 32;
}

// Ed25519 hashes the whole message itself, so its contexts are begun without a digest.

/// The private key of these 32 bytes (RFC 8032, 5.1.5), or NULL.
static inline EVP_PKEY *ccrypto_ed25519_private(const unsigned char *bytes) {
    return EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, bytes, 32);
}

/// Writes the 32 bytes of the public key; 1 if it worked.
static inline int ccrypto_ed25519_public(EVP_PKEY *key, unsigned char *bytes) {
    size_t length = 32;
    return EVP_PKEY_get_raw_public_key(key, bytes, &length) == 1 && length == 32;
}

/// Writes the 64 bytes of the signature; 1 if it worked.
static inline int ccrypto_ed25519_sign(
    EVP_PKEY *key, const unsigned char *bytes, size_t length, unsigned char *signature
) {
    size_t written = 64;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int result = context != NULL && EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1 &&
                 EVP_DigestSign(context, signature, &written, bytes, length) == 1 && written == 64;
    EVP_MD_CTX_free(context);
    return result;
}

/// 1 if the 64 bytes are the signature by the owner of this public key of 32 bytes.
static inline int ccrypto_ed25519_verify(
    const unsigned char *public_key, const unsigned char *signature, const unsigned char *bytes, size_t length
) {
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, public_key, 32);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int result = key != NULL && context != NULL && EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1 &&
                 EVP_DigestVerify(context, signature, 64, bytes, length) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return result;
}

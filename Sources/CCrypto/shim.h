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

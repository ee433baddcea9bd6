internal import CCrypto
internal import CCurl
internal import CDeflate
internal import CMicroHTTPD
internal import CSQLite
internal import CSimdJSON
internal import CYAML

/// The versions.
public func nativeVersions() -> [String] {
    unsafe [String(cString: sqlite3_libversion()), String(cString: MHD_get_version()), String(cString: csj_version())]
}

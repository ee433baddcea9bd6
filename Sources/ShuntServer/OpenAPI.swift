/// The description of the HTTP interface, kept beside the code that serves it.
enum OpenAPI {
    /// `openapi.json`, as bytes of the executable.
    static let document: [UInt8] = PackageResources.openapi_json
}

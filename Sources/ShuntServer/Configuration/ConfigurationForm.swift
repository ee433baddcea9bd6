internal import ShuntCore
internal import ShuntNative

/// The form of `shunt.yaml`: a key for each setting or section, each section with a form of its own.
struct ConfigurationForm {
    /// The file's folder, which folders in it are relative to; nil for the present one.
    let folder: String?

    private static let keys = [
        "listen", "data", "rules", "dashboards", "tokens", "switches", "signing", "push", "retention", "limits",
        "channels", "routes", "links",
    ]

    func read(_ root: YAMLNode, _ reader: inout FileReader) -> Configuration {
        var configuration = Configuration()
        guard let file = reader.fields(root, of: "the configuration", keys: Self.keys) else { return configuration }
        if let listen = reader.optional("listen", of: file, .listenAddress) { configuration.listen = listen }
        if let data = reader.optional("data", of: file, .filledText) { configuration.dataPath = path(data) }
        if let rules = reader.optional("rules", of: file, .filledText) { configuration.rulesPath = path(rules) }
        if let dashboards = reader.optional("dashboards", of: file, .filledText) {
            configuration.dashboardsPath = path(dashboards)
        }
        if let tokens = reader.optional("tokens", of: file, .nodes()) {
            configuration.tokens = TokensForm.read(tokens, &reader)
        }
        if let switches = reader.optional("switches", of: file, .fields(of: "switches", keys: ["public"])) {
            let isPublic = reader.optional("public", of: switches, .truth)
            configuration.arePollsPublic = isPublic ?? configuration.arePollsPublic
        }
        if let signing = reader.optional("signing", of: file, .fields(of: "signing", keys: SigningForm.keys)) {
            configuration.signing = SigningForm.read(signing, path: path, &reader)
        }
        if let push = reader.optional("push", of: file, .fields(of: "push", keys: ["spread"])) {
            let spreadMs = reader.optional("spread", of: push, .duration(in: 0...60_000))
            configuration.pushSpreadMs = spreadMs ?? configuration.pushSpreadMs
        }
        if let retention = reader.optional("retention", of: file, .fields(of: "retention", keys: ["days", "size"])) {
            read(retention, into: &configuration, &reader)
        }
        if let limits = reader.optional("limits", of: file, .fields(of: "limits", keys: LimitsForm.keys)) {
            LimitsForm.read(limits, into: &configuration, &reader)
        }
        if let channels = reader.optional("channels", of: file, .nodes()) {
            configuration.channels = ChannelsForm(path: path).read(channels, &reader)
        }
        if let routes = reader.optional("routes", of: file, .nodes()) {
            let names = configuration.channels.map(\.name)
            configuration.routes = RoutesForm.read(routes, channels: names, &reader)
        }
        if let links = reader.optional("links", of: file, .fields(of: "links", keys: LinksForm.keys)) {
            configuration.links = LinksForm.read(links, &reader)
        }
        return configuration
    }

    private func read(_ retention: FileFields, into configuration: inout Configuration, _ reader: inout FileReader) {
        // Two days at least: a repeat is looked for in today and yesterday.
        if let days = reader.optional("days", of: retention, .integer(in: 2...3650)) {
            configuration.retentionDays = days
        }
        guard reader.optional("size", of: retention, .size()) != nil else { return }
        reader.refuse("size", of: retention, "retention by size", expected: "days alone")
    }

    /// A path as the file means it.
    private func path(_ text: String) -> String {
        guard let folder, !text.hasPrefix("/") else { return text }
        return "\(folder)/\(text)"
    }
}

extension FileValue where Value == ListenAddress {
    /// An address and a port.
    static var listenAddress: Self {
        let expected = "an address and a port such as 127.0.0.1:8710 or [::1]:8710"
        return Self(expected) { node, reader in
            let text = node.text ?? ""
            if !node.isNull, let address = try? ListenAddress(parsing: text) { return address }
            let isText = node.text != nil && !node.isNull
            reader.note(
                isText ? .unknownValue : .wrongType,
                at: node.position,
                found: node.words,
                expected: expected,
                suggestion: meant(by: text)
            )
            return nil
        }
    }

    /// A port alone, or an address without one.
    private static func meant(by text: String) -> String? {
        let port = text.hasPrefix(":") ? text.dropFirst() : text[...]
        if UInt16(port) != nil { return "127.0.0.1:\(port)" }
        return (try? ListenAddress(parsing: "\(text):8710"))?.description
    }
}

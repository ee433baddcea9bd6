internal import ShuntNative

/// The form of the section `channels`: who is told of alerts, and how.
struct ChannelsForm {
    /// Gives a file's name as the configuration means it.
    let path: (String) -> String

    private static let common = ["name", "kind", "language", "timeZone", "template", "allowPrivate", "caFile"]
    private static let address = ["url", "urlFile"]
    private static let secret = ["secret", "secretFile"]
    private static let mail = ["server", "tls", "user", "from", "to"]

    /// The keys that a kind has.
    static func keys(of kind: ChannelKind) -> [String] {
        switch kind {
        case .webhook: common + address + secret + ["previousSecret", "previousSecretFile"]
        case .alertmanager, .alertmanagerWebhook, .pagerduty, .feishu, .dingtalk: common + address + secret
        case .slack, .wecom: common + address
        case .email: common + mail + secret
        }
    }

    private static let allKeys = common + address + secret + ["previousSecret", "previousSecretFile"] + mail

    func read(_ nodes: [YAMLNode], _ reader: inout FileReader) -> [ChannelSettings] {
        var names = FileNames(of: "channel")
        return nodes.compactMap { node in
            let kindText = node.entries?.first { $0.key == "kind" }?.value.text
            let known = kindText.flatMap(ChannelKind.init(rawValue:))
            let form = known.map { "a channel of the kind \($0.rawValue)" } ?? "a channel"
            let fields = reader.fields(node, of: form, keys: known.map(Self.keys) ?? Self.allKeys)
            guard let fields else { return nil }
            let name = reader.required("name", of: fields, .name)
            let kind: ChannelKind? = reader.required("kind", of: fields, .word)
            if let name { names.add(name, at: fields.valuePosition("name"), &reader) }
            guard let kind else { return nil }
            return channel(name ?? "", kind, fields, &reader)
        }
    }

    private func channel(
        _ name: String,
        _ kind: ChannelKind,
        _ fields: FileFields,
        _ reader: inout FileReader
    ) -> ChannelSettings {
        var channel = ChannelSettings(name: name, kind: kind)
        channel.language = reader.optional("language", of: fields, .word) ?? .english
        if let zone = reader.optional("timeZone", of: fields, .filledText) {
            channel.timeZone = .init(text: zone, place: place("timeZone", of: fields, reader))
        }
        channel.template = reader.optional("template", of: fields, .noticeTemplate)
        channel.allowsPrivate = reader.optional("allowPrivate", of: fields, .truth) ?? false
        if let file = reader.optional("caFile", of: fields, .filledText) {
            channel.certificates = .init(text: path(file), place: place("caFile", of: fields, reader))
        }
        if Self.keys(of: kind).contains("url") { readAddress(into: &channel, fields, &reader) }
        channel.secret = secret("secret", of: fields, &reader)
        channel.previousSecret = secret("previousSecret", of: fields, &reader)
        if channel.previousSecret != nil, channel.secret == nil {
            let found = "a previous secret without a secret"
            reader.note(.contradiction, at: fields.position, found: found, expected: "secret or secretFile beside it")
        }
        if kind == .pagerduty, channel.secret == nil, fields["secret"] == nil, fields["secretFile"] == nil {
            let found = "\(fields.form) without the key \"secret\""
            let expected = "secret or secretFile with the integration's routing key"
            reader.note(.missingKey, at: fields.position, found: found, expected: expected)
        }
        if kind == .email { channel.mail = MailForm.read(fields, hasSecret: channel.secret != nil, &reader) }
        return channel
    }

    private func place(_ key: String, of fields: FileFields, _ reader: FileReader) -> String {
        let position = fields.valuePosition(key)
        return "\(reader.file):\(position.line):\(position.column)"
    }

    // MARK: Addresses

    private func readAddress(into channel: inout ChannelSettings, _ fields: FileFields, _ reader: inout FileReader) {
        let kind = channel.kind
        if let file = reader.optional("urlFile", of: fields, .filledText) {
            refuseBoth("url", "urlFile", fields, &reader)
            let place = place("urlFile", of: fields, reader)
            channel.urlSecret = SecretSetting(key: "urlFile", source: .file(path(file)), place: place)
            return
        }
        guard let node = fields["url"] else {
            // PagerDuty has one address for everybody.
            guard kind != .pagerduty else { return }
            let found = "\(fields.form) without the key \"url\""
            reader.note(.missingKey, at: fields.position, found: found, expected: "url or urlFile")
            return
        }
        if node.text?.hasPrefix(SecretSource.environmentPrefix) == true {
            guard let source = reader.optional("url", of: fields, .environmentVariable) else { return }
            channel.urlSecret = SecretSetting(key: "url", source: source, place: place("url", of: fields, reader))
        } else if node.elements != nil, kind == .alertmanager {
            let urls = reader.optional("url", of: fields, .list(of: .outboundURL, notEmpty: .outOfRange))
            channel.urls = urls ?? []
        } else if let url = reader.optional("url", of: fields, .outboundURL) {
            channel.urls = [url]
        }
    }

    // MARK: Secrets

    /// `secret: env:NAME` or `secretFile: NAME`.
    private func secret(_ key: String, of fields: FileFields, _ reader: inout FileReader) -> SecretSetting? {
        let fileKey = key + "File"
        let variable = reader.optional(key, of: fields, .environmentVariable)
        let file = reader.optional(fileKey, of: fields, .filledText)
        refuseBoth(key, fileKey, fields, &reader)
        if let file {
            let place = place(fileKey, of: fields, reader)
            return SecretSetting(key: fileKey, source: .file(path(file)), place: place)
        }
        return variable.map { SecretSetting(key: key, source: $0, place: place(key, of: fields, reader)) }
    }

    private func refuseBoth(_ key: String, _ other: String, _ fields: FileFields, _ reader: inout FileReader) {
        guard fields[key] != nil, let position = fields.keyPosition(other) else { return }
        reader.note(.contradiction, at: position, found: "\(key) and \(other)", expected: "one of them")
    }
}

extension FileValue where Value == SecretSource {
    /// `env:` and the name of a variable. What else is found isn't repeated: it may be the secret itself.
    static var environmentVariable: Self {
        let expected = "env:NAME for a variable of the environment; the name of a file goes under the key with File"
        return Self(expected) { node, reader in
            let prefix = SecretSource.environmentPrefix
            guard let text = node.text, !node.isNull, text.hasPrefix(prefix) else {
                let found = node.text.map { "a text of \($0.count) characters" } ?? node.words
                reader.note(
                    node.text == nil ? .wrongType : .unknownValue,
                    at: node.position,
                    found: found,
                    expected: expected
                )
                return nil
            }
            // The rest of the form is the signing key's, which knows the letters of a variable's name.
            return FileValue.secretSource.read(node, &reader)
        }
    }
}

extension FileValue where Value == String {
    /// An absolute http or https URL. What is found isn't repeated, since for many channels the URL is the secret.
    static var outboundURL: Self {
        let expected = "an absolute http or https URL without spaces, or env:NAME"
        return Self(expected) { node, reader in
            guard let text = node.text, !node.isNull else {
                reader.note(.wrongType, at: node.position, found: node.words, expected: expected)
                return nil
            }
            guard OutboundURL.isValid(text) else {
                let found = "a text of \(text.count) characters"
                reader.note(.unknownValue, at: node.position, found: found, expected: expected)
                return nil
            }
            return text
        }
    }
}

/// URLs that can be sent to.
enum OutboundURL {
    static func isValid(_ text: String) -> Bool {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard scheme == "http" || scheme == "https", text.dropFirst(scheme.count).hasPrefix("://") else { return false }
        let rest = text.dropFirst(scheme.count + 3)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return !host.isEmpty && !host.hasPrefix(":") && text.utf8.count <= 2048
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// A path put behind a base, whose own trailing slash doesn't count.
    static func joined(_ base: String, _ path: String) -> String {
        (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
    }
}

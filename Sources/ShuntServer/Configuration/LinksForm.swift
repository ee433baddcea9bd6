/// The form of the section `links`: a URL with names in it for each thing that messages point to.
enum LinksForm {
    static let keys = LinkTemplates.Target.allCases.map(\.rawValue)

    static func read(_ links: FileFields, _ reader: inout FileReader) -> LinkTemplates {
        var templates = LinkTemplates()
        for target in LinkTemplates.Target.allCases {
            let url = FileValue<PlaceholderText>.placeholders(target.fields, in: "an http or https URL") { text in
                OutboundURL.isValid(String(text.filter { $0 != "{" && $0 != "}" }))
            }
            if let text = reader.optional(target.rawValue, of: links, url) { templates.urls[target] = text }
        }
        return templates
    }
}

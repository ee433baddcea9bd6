internal import ShuntCore
internal import ShuntNative

/// One pass over a rules folder: finds the files, has each read by its form and gathers the problems of all.
struct RuleFolderReading {
    private(set) var problems: [RuleProblem] = []
    /// The path of the switches' file, as problems give it.
    let switchesFile: String

    private let path: String
    private let folder: Folder?

    init(path: String) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
        switchesFile = "\(path)/switches.yaml"
        do throws(FileError) {
            folder = try Folder(existing: path)
        } catch {
            folder = nil
            problems.append(Self.unreadable(path, error))
        }
        checkNames()
    }

    /// The problems by file, line and column.
    var orderedProblems: [RuleProblem] {
        problems.sorted {
            ($0.file, $0.line, $0.column, $0.code.rawValue) < ($1.file, $1.line, $1.column, $1.code.rawValue)
        }
    }

    /// Whether there is such a folder.
    var hasFolder: Bool { folder != nil }

    // MARK: Parts

    /// The switches of `switches.yaml`; nil without the file.
    mutating func switches() -> [SwitchDefinition]? {
        guard let folder, let bytes = read("switches.yaml", in: folder) else { return nil }
        return read(bytes, file: switchesFile) { SwitchesForm.read($0, &$1) } ?? []
    }

    /// The rules of the files in `alerts/`, in the order of the files' names; nil without the folder.
    mutating func rules(_ form: AlertsForm) -> [Rule]? {
        guard let alerts = folder(named: "alerts") else {
            checkBuiltInRules(against: form.switchKeys)
            return nil
        }
        var form = form
        var rules: [Rule] = []
        for name in fileNames(in: alerts) {
            guard let bytes = read(name, in: alerts) else { continue }
            rules += read(bytes, file: alerts.file(name)) { form.read($0, &$1) } ?? []
        }
        return rules
    }

    /// The catalogue of the files in `catalogue/`; nil without the folder.
    mutating func catalogue() -> CatalogueSource? {
        guard let folder = folder(named: "catalogue") else { return nil }
        var places = CataloguePlaces()
        var source = CatalogueSource()
        for name in fileNames(in: folder) where !name.hasSuffix(".example.yaml") {
            guard let bytes = read(name, in: folder) else { continue }
            let file = folder.file(name)
            switch name {
            case "stages.yaml":
                let stages = read(bytes, file: file) { StagesForm.read($0, &$1, &places) } ?? nil
                source.stages = stages ?? source.stages
            case "signatures.yaml":
                source.signatures = read(bytes, file: file) { SignaturesForm.read($0, &$1) } ?? []
            default:
                source.systems += read(bytes, file: file) { CatalogueForm.read($0, &$1, &places) } ?? []
            }
        }
        // With a file amiss, what others miss in it is no news.
        if problems.allSatisfy({ !$0.file.hasPrefix(folder.path) }) {
            note(source.built().problems, places, in: folder)
        }
        return source
    }

    /// The diagnoses of the files in `triage/`, in the order of the files' names; none without the folder.
    mutating func diagnoses() -> [Diagnosis] {
        guard let triage = folder(named: "triage") else { return [] }
        var form = TriageForm()
        var diagnoses: [Diagnosis] = []
        for name in fileNames(in: triage) {
            guard let bytes = read(name, in: triage) else { continue }
            diagnoses += read(bytes, file: triage.file(name)) { form.read($0, &$1) } ?? []
        }
        return diagnoses
    }

    private mutating func note(_ found: [Catalogue.Problem], _ places: CataloguePlaces, in folder: Folder) {
        for problem in found {
            let place = places[problem] ?? (folder.path, YAMLPosition(line: 1, column: 1))
            problems.append(
                RuleProblem(
                    problem.code,
                    file: place.file,
                    at: place.position,
                    found: problem.found,
                    expected: problem.expected
                )
            )
        }
    }

    private mutating func checkBuiltInRules(against switchKeys: [String]?) {
        guard let switchKeys else { return }
        for rule in RuleSet.builtIn.rules {
            guard let key = rule.trip?.switchKey, !switchKeys.contains(key) else { continue }
            problems.append(
                RuleProblem(
                    .unknownSwitch,
                    file: switchesFile,
                    found: "no switch \"\(key)\", which the built-in rule \(rule.id) trips",
                    expected: "that switch, or rules of your own in alerts/"
                )
            )
        }
    }

    // MARK: Files

    /// Reads a file through its form; nil where its text ends early.
    private mutating func read<Value>(
        _ bytes: [UInt8],
        file: String,
        _ form: (YAMLNode, inout FileReader) -> Value
    ) -> Value? {
        var reader = FileReader(file: file)
        let text = YAMLDocument.read(bytes, file: file)
        for problem in text.problems { reader.note(problem) }
        let value = text.document.map { form($0.root, &reader) }
        problems += reader.problems
        return value
    }

    private mutating func read(_ name: String, in folder: Folder) -> [UInt8]? {
        let size = folder.size(of: name)
        let limit = YAMLDocument.Limits().bytes
        guard size <= limit else {
            let found = "the file has \(size) bytes"
            problems.append(
                RuleProblem(.tooLarge, file: folder.file(name), found: found, expected: "at most \(limit)")
            )
            return nil
        }
        do throws(FileError) {
            return try folder.read(name)
        } catch {
            problems.append(Self.unreadable(folder.file(name), error))
            return nil
        }
    }

    private mutating func folder(named name: String) -> Folder? {
        guard let path = folder?.file(name) else { return nil }
        do throws(FileError) {
            return try Folder(existing: path)
        } catch {
            problems.append(Self.unreadable(path, error))
            return nil
        }
    }

    private static func unreadable(_ path: String, _ error: FileError) -> RuleProblem {
        RuleProblem(.unreadable, file: path, found: error.description)
    }

    // MARK: Names

    /// What a rules folder may hold.
    private static let parts = ["alerts", "catalogue", "triage", "tests", "switches.yaml"]

    /// A file that no reader takes notice of is a rule that somebody relies on in vain.
    private mutating func checkNames() {
        guard let folder else { return }
        for name in names(in: folder) where !Self.parts.contains(name) {
            let suggestion = Suggestion.nearest(to: name, among: Self.parts)
            guard suggestion != nil || name.hasSuffix(".yaml") || name.hasSuffix(".yml") else { continue }
            noteUnknown(folder.file(name), expected: "one of \(FileReader.list(Self.parts))", suggestion)
        }
    }

    /// The names of the YAML files in a folder; what is hidden or of another kind isn't for Shunt.
    private mutating func fileNames(in folder: Folder) -> [String] {
        names(in: folder).filter { name in
            if name.hasSuffix(".yml") {
                noteUnknown(folder.file(name), expected: "a name that ends in .yaml", name.dropLast(4) + ".yaml")
            }
            return name.hasSuffix(".yaml")
        }
    }

    private mutating func names(in folder: Folder) -> [String] {
        do throws(FileError) {
            return try folder.names().filter { !$0.hasPrefix(".") }
        } catch {
            problems.append(Self.unreadable(folder.path, error))
            return []
        }
    }

    private mutating func noteUnknown(_ path: String, expected: String, _ suggestion: String?) {
        let found = "a name that nothing reads"
        problems.append(
            RuleProblem(.unknownFile, file: path, found: found, expected: expected, suggestion: suggestion)
        )
    }
}

extension Catalogue.Problem {
    fileprivate var code: RuleProblem.Code {
        switch self {
        case .duplicateCode, .duplicateSignature: .duplicateId
        case .unknownSubcodeSystem, .unknownStageRow: .unknownRow
        case .signatureTexts: .outOfRange
        }
    }

    fileprivate var found: String {
        switch self {
        case .duplicateCode(let system, let code): "a second row of \(system) for the code \"\(code)\""
        case .unknownSubcodeSystem(_, let subcodes): "subcodes of the system \"\(subcodes)\""
        case .unknownStageRow(let system, let code): "the code \"\(code)\" of \(system)"
        case .duplicateSignature(let id): "a second signature \"\(id)\""
        case .signatureTexts(let id): "the texts of the signature \"\(id)\""
        }
    }

    fileprivate var expected: String {
        switch self {
        case .duplicateCode: "each code once"
        case .unknownSubcodeSystem: "a system of the catalogue"
        case .unknownStageRow: "a code that the system has a row for"
        case .duplicateSignature: "a name of its own"
        case .signatureTexts: "1 to 8 texts, none empty"
        }
    }
}

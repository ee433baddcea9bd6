internal import ShuntSchema

extension CatalogueSource: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(systems) { $0.write($1) }
        writer.write(stages)
        writer.write(signatures) { $0.write($1) }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(
            systems: try reader.readArray { (reader) throws(StateBytesError) in try reader.read() },
            stages: try reader.read(),
            signatures: try reader.readArray { (reader) throws(StateBytesError) in try reader.read() }
        )
    }
}

extension CatalogueEntry: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(name)
        writer.write(failureClass)
        writer.write(retry)
        writer.write(switchWeight)
        writer.write(money)
        writer.write(note)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(
            name: try reader.readString(),
            failureClass: try reader.readCase(),
            retry: try reader.readCase(),
            switchWeight: try reader.readCase(),
            money: try reader.readCase(),
            note: try reader.readString()
        )
    }
}

extension CatalogueSystem: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(name)
        writer.write(domains) { $0.write($1) }
        writer.write(subcodes) { $0.write($1) }
        writer.write(splitAt) { $0.write(String($1)) }
        writer.write(owner)
        writer.write(rows) { writer, row in
            writer.write(row.code)
            writer.write(row.entry)
        }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(
            name: try reader.readString(),
            domains: try reader.readArray { (reader) throws(StateBytesError) in try reader.readString() },
            subcodes: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readString() },
            splitAt: try reader.readOptional { (reader) throws(StateBytesError) in
                let text = try reader.readString()
                guard let character = text.first, text.count == 1 else { throw StateBytesError.malformed }
                return character
            },
            owner: try reader.readCase(),
            rows: try reader.readArray { (reader) throws(StateBytesError) in
                Row(code: try reader.readString(), entry: try reader.read())
            }
        )
    }
}

extension StageTable: StateCodable {
    func encode(to writer: inout StateWriter) {
        let ordered = Stage.allCases.compactMap { stage in rules[stage].map { (stage, $0) } }
        writer.write(ordered) { writer, item in
            writer.write(item.0)
            writer.write(item.1)
        }
        writer.write(hangsOnStage) { writer, dependence in
            writer.write(dependence.system)
            writer.write(dependence.kind)
            writer.write(dependence.codes) { $0.write($1) }
            writer.write(dependence.harmlessAt) { writer, stages in writer.write(stages) { $0.write($1) } }
        }
        writer.write(nothingSent) { writer, codes in
            writer.write(codes.system)
            writer.write(codes.codes) { $0.write($1) }
        }
        writer.write(transportCodes.sorted()) { $0.write($1) }
        writer.write(transportEntry)
        writer.write(unknownCodeWeight)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        let rules = try reader.readArray { (reader) throws(StateBytesError) in
            (try reader.readCase(Stage.self), try reader.read(StageRule.self))
        }
        self.init(
            rules: Dictionary(rules, uniquingKeysWith: { first, _ in first }),
            hangsOnStage: try reader.readArray { (reader) throws(StateBytesError) in
                StageDependence(
                    system: try reader.readString(),
                    kind: try reader.readCase(),
                    codes: try reader.readArray { (reader) throws(StateBytesError) in try reader.readString() },
                    harmlessAt: try reader.readOptional { (reader) throws(StateBytesError) in
                        try reader.readArray { (reader) throws(StateBytesError) in try reader.readCase() }
                    }
                )
            },
            nothingSent: try reader.readArray { (reader) throws(StateBytesError) in
                Codes(
                    system: try reader.readString(),
                    codes: try reader.readArray { (reader) throws(StateBytesError) in try reader.readString() }
                )
            },
            transportCodes: Set(
                try reader.readArray { (reader) throws(StateBytesError) in try reader.readString() }
            ),
            transportEntry: try reader.read(),
            unknownCodeWeight: try reader.readCase()
        )
    }
}

extension StageRule: StateCodable {
    func encode(to writer: inout StateWriter) {
        switch transport {
        case .inDoubt: writer.write(false)
        case .classes(let classes):
            writer.write(true)
            writer.write(classes) { $0.write($1) }
        }
        writer.write(cancel)
        writer.write(money)
        writer.write(proofHolds)
        writer.write(unknownCodeIsInDoubt)
        writer.write(quickCancelMs) { $0.write($1) }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        let classes = try reader.readOptional { (reader) throws(StateBytesError) in
            try reader.readArray { (reader) throws(StateBytesError) in try reader.readCase(FailureClass.self) }
        }
        self.init(
            transport: classes.map { .classes($0) } ?? .inDoubt,
            cancel: try reader.readCase(),
            money: try reader.readCase(),
            proofHolds: try reader.readBool(),
            unknownCodeIsInDoubt: try reader.readBool(),
            quickCancelMs: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readInt64() }
        )
    }
}

extension Signature: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(id)
        writer.write(all) { $0.write($1) }
        writer.write(domains) { $0.write($1) }
        switch verdict {
        case .entry(let entry):
            writer.write("entry")
            writer.write(entry)
        case .cancel: writer.write("cancel")
        case .code: writer.write("code")
        }
        writer.write(environment) { $0.write($1) }
        writer.write(say)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        let id = try reader.readString()
        let all = try reader.readArray { (reader) throws(StateBytesError) in try reader.readString() }
        let domains = try reader.readArray { (reader) throws(StateBytesError) in try reader.readString() }
        let verdict: Verdict
        switch try reader.readString() {
        case "entry": verdict = .entry(try reader.read())
        case "cancel": verdict = .cancel
        case "code": verdict = .code
        default: throw .malformed
        }
        self.init(
            id: id,
            all: all,
            domains: domains,
            verdict: verdict,
            environment: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readCase() },
            say: try reader.readString()
        )
    }
}

import ShuntCore
import ShuntNative
import TestSupport
import Testing

@testable import ShuntServer

/// Addresses and media types.
@Suite struct RouteTests {
    @Test(arguments: [
        Row("/v1/events", Route.eventList), Row("/v1/switches", .switches), Row("/healthz", .health),
        Row("/readyz", .readiness), Row("/metrics", .metrics), Row("/openapi.json", .openAPI),
        Row("/v1/explain", .explain), Row("/v1/audit", .audit),
        Row("/v1/switches/apple-pay/history", .switchHistory(key: "apple-pay")),
        Row("/v1/switches/stream", .switchStream),
        Row("/v1/switches/apple-pay", .oneSwitch(key: "apple-pay")), Row("/v1/switches/ä b", .oneSwitch(key: "ä b")),
        Row("/v1/switches/apple-pay/trip", .switchCommand(key: "apple-pay", verb: .trip)),
        Row("/v1/switches/apple-pay/restore", .switchCommand(key: "apple-pay", verb: .restore)),
        Row("/v1/switches/apple-pay/override", .switchCommand(key: "apple-pay", verb: .override)),
        Row("/v1/switches/apple-pay/mode", .switchCommand(key: "apple-pay", verb: .mode)),
        Row("/v1/switches/trip", .oneSwitch(key: "trip")), Row("/ofrep/v1/evaluate/flags", .flags),
        Row("/ofrep/v1/evaluate/flags/", .flags),
        Row("/ofrep/v1/evaluate/flags/apple-pay", .oneFlag(key: "apple-pay")),
        Row("/ofrep/v1/evaluate/flags/a/b/", .oneFlag(key: "a/b/")),
        Row("/v1/alerts", .alerts), Row("/v1/alerts/102-0", .oneAlert(id: "102-0")),
        Row("/v1/alerts/102-0/ack", .alertAcknowledgement(id: "102-0")), Row("/v1/silences", .silences),
        Row("/v1/silences/97-0", .oneSilence(id: "97-0")), Row("/v1/outlook", .outlook), Row("/", .dashboard),
        Row("/web/0a/pages/now.js", .dashboardFile(path: "0a/pages/now.js")),
    ])
    func `addresses that lead somewhere`(row: Row<Route>) {
        #expect(Route(path: row.name) == row.value)
    }

    @Test(arguments: [
        "", "/web", "/web/", "/index.html", "*", "/v1", "/v1/", "/v1/event", "/v1/events/", "/V1/events",
        "/v1/switches/", "/v1/switches//trip",
        "/v1/switches/a/", "/v1/switches/a/b", "/v1/switches/a/TRIP", "/v1/switches/a/trip/", "/v1/switches/a/trip/b",
        "//v1/events", "/v1/./events", "/metrics/", "/healthz?", "/v1/switches/stream/", "/v1/switchesapple",
        "/ofrep/v1/evaluate/flag", "/ofrep/v1/evaluate/flagsapple", "/ofrep/v1/evaluate",
        "/ofrep/v1/configuration", "/v1/audit/", "/v1/switches//history", "/v1/switches/a/history/",
        "/v1/outlook/", "/v1/access/",
        "/v1/alerts/", "/v1/alerts/1/ack/", "/v1/alerts//ack", "/v1/alerts/1/nack", "/v1/silences/", "/v1/silences/1/x",
    ])
    func `addresses that lead nowhere`(path: String) {
        #expect(Route(path: path) == nil)
    }

    @Test(arguments: [
        Route.switches, .oneSwitch(key: "a"), .switchCommand(key: "a", verb: .trip), .health, .readiness,
        .metrics, .openAPI, .explain, .switchStream, .flags, .oneFlag(key: "a"),
        .audit, .switchHistory(key: "a"), .alerts, .oneAlert(id: "a"), .alertAcknowledgement(id: "a"),
    ])
    func `each address says what it takes and gives`(route: Route) {
        let takesBody = route.method == .post
        #expect(route.bodyTypes.isEmpty != takesBody)
        #expect(route.allow == (takesBody ? "POST" : "GET, HEAD"))
        let isText = route == .metrics || route == .switchStream
        #expect(route.mediaType.type == (isText ? "text" : "application"))
    }

    @Test func `an address that does two things says both`() {
        #expect(Route(path: "/v1/silences", method: .post) == .newSilence)
        #expect(Route(path: "/v1/events", method: .post) == .events)
        #expect(Route.events.allow == "GET, HEAD, POST" && Route.eventList.allow == "GET, HEAD, POST")
        #expect(Route.newSilence.access == .operate && Route.silences.access == .read)
        #expect(Route.newSilence.allow == "GET, HEAD, POST" && Route.silences.allow == "GET, HEAD, POST")
        #expect(Route.oneSilence(id: "a").allow == "DELETE" && Route.oneSilence(id: "a").method == .delete)
    }

    // MARK: Content-Type

    struct Parsed: Sendable {
        var name: String
        var charset: String?
    }

    @Test(arguments: [
        Row("application/json", Parsed(name: "application/json")),
        Row(" Application/JSON ", Parsed(name: "application/json")),
        Row("application/json;charset=utf-8", Parsed(name: "application/json", charset: "utf-8")),
        Row("application/json ; Charset=\"UTF-8\" ; x=y", Parsed(name: "application/json", charset: "utf-8")),
        Row("application/json; charset = latin1", Parsed(name: "application/json", charset: "latin1")),
        Row("application/json; charset", Parsed(name: "application/json")),
        Row("application/json;", Parsed(name: "application/json")),
        Row("", Parsed(name: "")), Row(";", Parsed(name: "")), Row("json", Parsed(name: "json")),
        Row("text/plain;boundary=charset=x", Parsed(name: "text/plain")),
    ])
    func `a content type is read`(row: Row<Parsed>) {
        let media = MediaType(row.name)
        #expect(media.name == row.value.name)
        #expect(media.charset == row.value.charset)
    }

    // MARK: Accept

    @Test(arguments: [
        Row("*/*", true), Row("application/json", true), Row("application/*", true), Row("APPLICATION/JSON", true),
        Row("text/html, application/json", true), Row("text/html,*/*;q=0.1", true), Row("", true), Row(" , ", true),
        Row("application/json;q=0.001", true), Row("application/json; q=1.0; x=y", true),
        Row("application/json;q=0", false), Row("application/json;q=0.000", false),
        Row("application/json; Q = 0.", false),
        Row("text/html", false), Row("*", false), Row("application", false), Row("text/*", false),
        Row("application/json;q=0, */*", false), Row("*/*, application/json;q=0", false),
        Row("application/*;q=0, */*;q=1", false), Row("application/*;q=0, application/json", true),
        Row("*/*;q=0, application/json", true), Row("*/*;q=0", false),
        Row("application/json;q=0, application/json", true),
    ])
    func `the most specific range that fits decides`(row: Row<Bool>) {
        #expect(MediaType.accepts(row.name, (type: "application", subtype: "json")) == row.value)
    }
}

import Testing

@testable import ShuntNative

/// Which addresses a webhook may reach, and that it's the address itself that is looked at.
@Suite struct AddressReachTests {
    private func address(_ text: String) throws -> HTTPRemoteAddress { try #require(HTTPRemoteAddress(numeric: text)) }

    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.9.9.9",
        "169.254.169.254", "169.254.0.1", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.168.0.1",
        "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1",
        "64:ff9b:1::1", "fe80::1", "febf::1", "fc00::1", "fd00:ec2::254", "fdff::1", "ff02::1", "2001:db8::1",
        "2001::1",
        "2002:7f00:1::", "3fff::1", "100::1", "fec0::1",
    ])
    func `what the public internet doesn't route isn't public`(text: String) throws {
        #expect(try !address(text).isPublic)
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.167.255.255",
        "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::808:808",
        "2606:4700:4700::1111", "2400:3200::1", "2a00::1", "2001:200::1", "3fff:1000::1",
    ])
    func `what it routes is`(text: String) throws {
        #expect(try address(text).isPublic)
    }

    @Test(arguments: [
        "http://127.0.0.1:%/", "http://localhost:%/", "http://2130706433:%/", "http://0x7f.1:%/", "http://127.1:%/",
        "http://[::ffff:127.0.0.1]:%/", "http://0.0.0.0:%/", "http://LOCALHOST:%/",
    ])
    func `a private address is refused before a connection, however it's written`(url: String) throws {
        let server = try ScriptedServer([])
        defer { server.stop() }
        var request = HTTPTransfer.Request(method: "POST", url: url.replacing("%", with: "\(server.port)"), body: [1])
        request.reach = .publicOnly
        request.timeoutMs = 5000
        var transfer = HTTPTransfer()
        let error = #expect(throws: HTTPTransferError.self) { _ = try transfer.perform(request) }
        #expect(error?.code == .addressRefused, "\(error?.detail ?? "")")
        #expect(error?.mayHaveBeenSent == false)
        #expect(server.connections == 0)
    }

    @Test func `a connection that another request opened isn't used to get past`() throws {
        let server = try ScriptedServer([.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8))])
        defer { server.stop() }
        var transfer = HTTPTransfer()
        #expect(try transfer.perform(HTTPTransfer.Request(url: server.url)).status == 200)
        var request = HTTPTransfer.Request(url: server.url)
        request.reach = .publicOnly
        let error = #expect(throws: HTTPTransferError.self) { _ = try transfer.perform(request) }
        #expect(error?.code == .addressRefused)
        #expect(server.connections == 1)
        // And the refusal doesn't stick to the handle.
        #expect(server.requests.count == 1)
    }
}

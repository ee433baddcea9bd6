internal import ShuntNative
internal import Synchronization

/// `/` and what its page consists of. The files need no token; what they show does.
final class DashboardEndpoint: Sendable {
    private let path: String
    private let files = Mutex<DashboardFiles?>(nil)

    /// - Parameter folder: the folder of dashboards; the web's is `web` in it.
    init(folder: String) {
        path = "\(folder)/web"
        load()
    }

    /// Reads the folder anew. One that can't be read keeps what is served.
    func load() {
        do {
            guard let read = try DashboardFiles(readingFrom: path) else {
                Log.info("there is no dashboard: \(path) has no index.html")
                return
            }
            files.withLock { $0 = read }
        } catch {
            Log.error("the dashboard in \(path) can't be read: \(error)")
        }
    }

    /// The page; where there is none, where it was expected.
    func page(_ head: HTTPRequestHead) -> HTTPReply {
        if let page = files.withLock({ $0?.page }) { return page.reply(ifNoneMatch: head.header("If-None-Match")) }
        let text = """
            Shunt is running, and has no dashboard: there is no index.html in \(path).
            Start it with --dashboards FOLDER, or with dashboards: FOLDER in shunt.yaml.
            The switches are at /v1/switches, the description of the interface at /openapi.json.

            """
        let fields = [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")]
        return HTTPReply(status: 404, headers: fields + DashboardFile.guards, body: Array(text.utf8))
    }

    /// One of the page's files.
    func asset(_ head: HTTPRequestHead, path: String) throws(Problem) -> HTTPReply {
        guard let asset = files.withLock({ $0?.assets[path] }) else {
            throw Problem(404, "notFound", "the dashboard has no such file; load the page again")
        }
        return asset.reply(ifNoneMatch: head.header("If-None-Match"))
    }
}

/// Which line of a proxy's configuration is missing. The lines are those of the article “Behind a proxy”, which tests run.
struct ProxyAdvice {
    enum Fault {
        case certificate, noUpgrade, heldBack, idleCut, ownOrigin, noHTTP2
    }

    /// The programs that can be told by their header `Server`. HAProxy adds none.
    private enum Proxy: String, CaseIterable {
        case nginx
        case haproxy = "HAProxy"
        case apache = "Apache"
        case caddy = "Caddy"
    }

    /// Nil when the answer does not say.
    private let proxy: Proxy?

    /// `server` is the header of an answer through the proxy.
    init(server: String?) {
        let name = server?.lowercased() ?? ""
        proxy = Proxy.allCases.first { name.hasPrefix($0.rawValue.lowercased()) }
    }

    func line(for fault: Fault) -> String {
        let lines = (proxy.map { [$0] } ?? Proxy.allCases).compactMap { proxy in
            ProxyAdvice.line(of: proxy, for: fault).map { "\(proxy.rawValue): \($0)" }
        }
        return lines.isEmpty ? "see “Behind a proxy”" : lines.joined(separator: "; ")
    }

    private static func line(of proxy: Proxy, for fault: Fault) -> String? {
        switch (proxy, fault) {
        case (.nginx, .certificate): "“ssl_certificate”"
        case (.haproxy, .certificate): "“crt” of bind"
        case (.apache, .certificate): "“SSLCertificateFile”"
        case (.caddy, .certificate): "the name in front of the site’s block, or “tls”"
        case (.nginx, .noUpgrade):
            "“proxy_http_version 1.1;”, “proxy_set_header Upgrade $http_upgrade;” and “proxy_set_header Connection "
                + "$connection_upgrade;”"
        case (.apache, .noUpgrade): "“upgrade=websocket” at the end of ProxyPass"
        case (.haproxy, .noUpgrade): "no “http-request del-header Upgrade” or “option httpclose”"
        case (.caddy, .noUpgrade): "“reverse_proxy 127.0.0.1:8080” without “header_up -Upgrade”"
        case (.nginx, .heldBack): "“proxy_buffering off;”, or no “proxy_ignore_headers X-Accel-Buffering;”"
        // It sends what it has whenever the server is silent, through all of its filters.
        case (.apache, .heldBack): nil
        case (.haproxy, .heldBack): "no “http-response wait-for-body”"
        case (.caddy, .heldBack): "no “buffer_responses” in reverse_proxy"
        case (.nginx, .idleCut): "“proxy_read_timeout 60s;”"
        case (.apache, .idleCut): "“ProxyTimeout 60”"
        case (.haproxy, .idleCut): "“timeout client 60s”, “timeout server 60s” and “timeout tunnel 1h”"
        case (.caddy, .idleCut): "no “read_timeout” or “write_timeout” below 60s"
        case (.nginx, .ownOrigin):
            "“proxy_set_header Host $http_host;”, “proxy_set_header X-Forwarded-Proto $scheme;” and “proxy_set_header "
                + "X-Forwarded-Host $http_host;”"
        case (.apache, .ownOrigin): "“ProxyPreserveHost On” and “RequestHeader set X-Forwarded-Proto https”"
        case (.haproxy, .ownOrigin):
            "“http-request set-header X-Forwarded-Proto https” and “http-request set-header X-Forwarded-Host "
                + "%[req.hdr(host)]”"
        case (.caddy, .ownOrigin): "no “header_up” for Host or X-Forwarded-Host"
        case (.nginx, .noHTTP2): "“listen 443 ssl http2;”"
        case (.haproxy, .noHTTP2): "“alpn h2,http/1.1” at the end of bind"
        case (.apache, .noHTTP2): "“Protocols h2 http/1.1”, after a2enmod http2"
        case (.caddy, .noHTTP2): "no “protocols h1” in the global options"
        }
    }
}

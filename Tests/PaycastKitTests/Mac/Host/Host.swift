import SwiftUI

/// An app without a purpose: StoreKit's test environment needs a process with a bundle identifier.
@main
struct Host: App {
    var body: some Scene {
        WindowGroup { Text("Host of PaycastKit's tests") }
    }
}

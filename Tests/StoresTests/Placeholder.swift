@testable import Stores

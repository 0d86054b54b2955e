@testable import Errands

internal import Stores

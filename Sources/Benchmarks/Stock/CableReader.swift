/// A stock client of Action Cable: how all of them handle incoming frames.
protocol CableReader: StockClient {
    var reader: FrameReader { get set }

    mutating func take(_ message: CableMessage, now: UInt64, into actions: inout [StockAction])
}

extension CableReader {
    mutating func answered(status: Int, now: UInt64, into actions: inout [StockAction]) {
        reader = FrameReader()
        if status != 101 { actions.append(.close) }
    }

    mutating func received(_ bytes: UnsafeRawBufferPointer, now: UInt64, into actions: inout [StockAction]) {
        reader.append(bytes)
        for frame in reader.take() {
            switch frame.opcode {
            case 1: take(CableMessage(frame.payload), now: now, into: &actions)
            case 8: actions += [.send(FrameReader.frame(8, payload: frame.payload)), .close]
            case 9: actions.append(.send(FrameReader.frame(10, payload: frame.payload)))
            default: break
            }
        }
    }
}

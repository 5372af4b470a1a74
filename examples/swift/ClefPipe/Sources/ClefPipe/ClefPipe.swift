// One `clef-mlx pipe` as a child process: requests in, decisions out.
import Foundation

/// A running model. It lives until `close()`.
public struct Clef: Sendable {
    public let hello: Hello
    private let child: Child

    /// Start the executable `clef-mlx` and wait until its model has decided once.
    ///
    /// `arguments` are those of `clef-mlx pipe`. An app that Finder starts has no shell's PATH: give the whole path.
    public static func start(executable: URL, arguments: [String] = []) async throws -> Clef {
        let child = try Child(executable: executable, arguments: arguments)
        let line = try await child.hello()
        return Clef(hello: try decoded(Hello.self, from: line), child: child)
    }

    /// Decide about a state: a string, or anything that becomes JSON. `images` are paths or data URLs.
    ///
    /// Throws `ClefError`, or `CancellationError` where the task was cancelled first.
    public func decide<State: Encodable & Sendable>(
        _ state: State, _ questions: [String: Question], images: [String] = []
    ) async throws -> Decision {
        try Task.checkCancellation()
        let id = await child.number()
        let encoder = JSONEncoder()
        // The model reads the questions in order, and a dictionary's changes from run to run.
        encoder.outputFormatting = [.sortedKeys]
        let line = try encoder.encode(Request(id: id, state: state, questions: questions, images: images))
        let answer = try await child.ask(line, id: id)
        return try decoded(Decision.self, from: answer)
    }

    /// Take no more requests, let those that wait be answered, and end the child.
    public func close() async {
        await child.close()
    }
}

/// One question. Options of a choice may have a description; levels of a score go from lowest to highest.
public enum Question: Encodable, Sendable {
    case noul(String)
    case choice(String, [String: String?])
    case score(String, [String])

    private enum Key: String, CodingKey {
        case type, instructions, criteria
    }

    public func encode(to encoder: Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        switch self {
        case .noul(let instructions):
            try object.encode("noul", forKey: .type)
            try object.encode(instructions, forKey: .instructions)
        case .choice(let instructions, let options):
            try object.encode("choice", forKey: .type)
            try object.encode(instructions, forKey: .instructions)
            try object.encode(options, forKey: .criteria)
        case .score(let instructions, let levels):
            try object.encode("score", forKey: .type)
            try object.encode(instructions, forKey: .instructions)
            try object.encode(levels, forKey: .criteria)
        }
    }
}

/// What the child says once its model has decided.
public struct Hello: Decodable, Sendable {
    public let version: String
    public let `protocol`: Int
    public let model: String
}

/// Answers by question.
public struct Decision: Decodable, Sendable {
    public let model: String
    public let answers: [String: Answer]
    public let usage: [String: Int]
}

/// The answer to one question; which fields are there depends on its type.
public struct Answer: Decodable, Sendable {
    public let type: String
    public let noul: Double?
    public let choice: String?
    public let score: Double?
    public let confidence: Double?
    public let probabilities: [String: Double]?
}

public enum ClefError: Error, Sendable {
    /// A request was not decided: `type` is a class of clef_mlx's errors.
    case refused(type: String, message: String)
    /// The child ended before it answered.
    case ended
}

private struct Request<State: Encodable>: Encodable {
    let id: Int
    let state: State
    let questions: [String: Question]
    let images: [String]
}

private struct Refusal: Decodable {
    struct Reason: Decodable {
        let type: String
        let message: String
    }
    let error: Reason?
}

private func decoded<Value: Decodable>(_ type: Value.Type, from line: Data) throws -> Value {
    let decoder = JSONDecoder()
    if let error = try decoder.decode(Refusal.self, from: line).error {
        if error.type == "cancelled" {
            throw CancellationError()
        }
        throw ClefError.refused(type: error.type, message: error.message)
    }
    return try decoder.decode(type, from: line)
}

private func chunks(from handle: FileHandle) -> AsyncStream<Data> {
    let (chunks, feed) = AsyncStream<Data>.makeStream()
    handle.readabilityHandler = { handle in
        let chunk = handle.availableData
        if chunk.isEmpty {
            handle.readabilityHandler = nil
            feed.finish()
        } else {
            feed.yield(chunk)
        }
    }
    return chunks
}

/// The process and its pipes. Lines out come in the order of the lines in, so that whoever waits first is answered first.
private actor Child {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    /// Writing waits while the child takes no more, which must not hold up the reading.
    private let writing = DispatchQueue(label: "ClefPipe.writing")
    private var waiting: [CheckedContinuation<Data, Error>] = []
    private var closing: [CheckedContinuation<Void, Never>] = []
    private var rest = Data()
    private var requests = 0
    private var ended = false

    init(executable: URL, arguments: [String]) throws {
        process.executableURL = executable
        process.arguments = ["pipe"] + arguments
        process.standardInput = input
        process.standardOutput = output
        #if canImport(Darwin)
        // A child that has ended is an error here, not the end of the app.
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETNOSIGPIPE, 1)
        #endif
        try process.run()
    }

    /// Begin to read, and wait for the first line.
    func hello() async throws -> Data {
        let read = chunks(from: output.fileHandleForReading)
        Task {
            for await chunk in read {
                self.take(chunk)
            }
            self.end()
        }
        return try await withCheckedThrowingContinuation { continuation in
            self.waiting.append(continuation)
        }
    }

    func number() -> Int {
        requests += 1
        return requests
    }

    /// Send a request, and wait for its line. A cancelled task takes it back.
    func ask(_ line: Data, id: Int) async throws -> Data {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if self.ended {
                    continuation.resume(throwing: ClefError.ended)
                    return
                }
                self.waiting.append(continuation)
                self.send(line)
                if Task.isCancelled {
                    self.cancel(id)
                }
            }
        } onCancel: {
            Task { await self.cancel(id) }
        }
    }

    func close() async {
        let handle = input.fileHandleForWriting
        writing.async {
            try? handle.close()
        }
        if !ended {
            await withCheckedContinuation { continuation in
                self.closing.append(continuation)
            }
        }
    }

    private func cancel(_ id: Int) {
        send(Data("{\"cancel\": \(id)}".utf8))
    }

    private func send(_ line: Data) {
        let handle = input.fileHandleForWriting
        writing.async {
            // Where this fails the child has ended, and whoever waits is told by the end of its output.
            try? handle.write(contentsOf: line + Data("\n".utf8))
        }
    }

    private func take(_ chunk: Data) {
        rest.append(chunk)
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Data(rest[..<end])
            rest.removeSubrange(...end)
            if !waiting.isEmpty {
                waiting.removeFirst().resume(returning: line)
            }
        }
    }

    private func end() {
        ended = true
        for continuation in waiting {
            continuation.resume(throwing: ClefError.ended)
        }
        for continuation in closing {
            continuation.resume()
        }
        waiting = []
        closing = []
    }
}

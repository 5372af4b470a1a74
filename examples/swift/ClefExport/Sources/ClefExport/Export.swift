import Foundation
import MLX

/// What cannot be used, in one line.
struct Refused: Error, CustomStringConvertible {
    let description: String
}

/// The part of manifest.json that filling a trace's arguments takes; `encoding` in it says how text becomes ids.
struct Manifest: Decodable {
    struct Weight: Decodable {
        let name: String
    }
    struct Files: Decodable {
        let trace, weights, golden_tensors: String
    }

    let format: String
    let format_version: Int
    let device: String
    let lengths: [Int]
    let questions, options: Int
    let files: Files
    let weights: [Weight]
}

/// A folder that `clef-mlx export` wrote on a Mac: one function with a trace for each length, and its weights.
final class Export {
    let manifest: Manifest
    let folder: URL
    private let trace: ImportedFunction
    private let weights: [MLXArray]

    init(folder: URL) throws {
        self.folder = folder
        let data = try Data(contentsOf: folder.appending(path: "manifest.json"))
        manifest = try JSONDecoder().decode(Manifest.self, from: data)
        guard manifest.format == "clef-mlx-export", manifest.format_version == 1 else {
            throw Refused(description: "\(folder.path): is no export of version 1. Export the model again.")
        }
        guard manifest.device == "metal" else {
            throw Refused(description: "\(folder.path): was traced for \(manifest.device). Export it on a Mac.")
        }
        trace = try importFunction(from: folder.appending(path: manifest.files.trace))
        let stored = try loadArrays(url: folder.appending(path: manifest.files.weights))
        weights = try manifest.weights.map { weight in
            guard let array = stored[weight.name] else {
                throw Refused(description: "\(folder.path): lacks \(weight.name). Export the model again.")
            }
            return array
        }
    }

    /// `arguments` as `inputs` in the manifest lists them -> the probability of every option slot.
    func probabilities(_ arguments: [MLXArray]) throws -> [Float] {
        let outputs = try trace.dynamicallyCall(withKeywordArguments: unlabelled(arguments + weights))
        return outputs[1].asArray(Float.self)
    }
}

/// Arrays as the arguments of an imported function, whose list can otherwise only be written out in source.
///
/// A variadic parameter is an array to the compiled code; Swift has no way to pass one on but this.
private func unlabelled(_ arrays: [MLXArray]) -> KeyValuePairs<String, MLXArray> {
    typealias Pairs = KeyValuePairs<String, MLXArray>
    let make = unsafeBitCast(Pairs.init(dictionaryLiteral:), to: (([(String, MLXArray)]) -> Pairs).self)
    return make(arrays.map { ("", $0) })
}

// Runs the goldens of an export: swift run ClefExport EXPORT
//
// They hold the token ids of some requests and the probabilities they must give, so an app can be checked with them
// before it encodes requests of its own by the manifest's rules.
import Foundation
import MLX

let names = ["input_ids", "length", "question_spans", "question_types", "option_spans", "option_owners"]

func worstDifference(_ export: Export) throws -> (cases: Int, difference: Float) {
    let goldens = try loadArrays(url: export.folder.appending(path: export.manifest.files.golden_tensors))
    var cases = 0
    var worst: Float = 0
    while let expected = goldens["\(cases).probabilities"]?.asArray(Float.self) {
        let found = try export.probabilities(names.map { goldens["\(cases).\($0)"]! })
        worst = zip(found, expected).reduce(worst) { max($0, abs($1.0 - $1.1)) }
        cases += 1
    }
    return (cases, worst)
}

do {
    guard CommandLine.arguments.count == 2 else { throw Refused(description: "usage: ClefExport EXPORT") }
    let result = try worstDifference(Export(folder: URL(filePath: CommandLine.arguments[1])))
    print("\(result.cases) goldens, probabilities within \(result.difference)")
} catch {
    FileHandle.standardError.write(Data("ClefExport: \(error)\n".utf8))
    exit(1)
}

// Sort tickets: swift run triage "$(command -v clef-mlx)"
import ClefPipe
import Foundation

guard CommandLine.arguments.count > 1 else {
    fatalError("Name the executable: swift run triage \"$(command -v clef-mlx)\"")
}
let clef = try await Clef.start(executable: URL(fileURLWithPath: CommandLine.arguments[1]))
print("\(clef.hello.model) is ready, clef-mlx \(clef.hello.version)")

for ticket in ["The kiosk at the north gate prints blank tickets.", "I was charged twice."] {
    let decision = try await clef.decide(
        ticket,
        [
            "team": .choice("Who answers?", ["repairs": "Something is broken.", "billing": nil]),
            "today": .noul("Must someone act today?"),
        ]
    )
    print(decision.answers["team"]?.choice ?? "-", decision.answers["today"]?.noul ?? 0, ticket)
}
await clef.close()

module clef.example/triage

go 1.18

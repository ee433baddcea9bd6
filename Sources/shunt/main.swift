import ShuntNative

ProcessEnvironment.exit(CommandLineTool.run(Array(CommandLine.arguments.dropFirst())).rawValue)

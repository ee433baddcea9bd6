import ShuntNative

print(nativeVersions())

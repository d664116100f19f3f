// The source file of the target that builds the tests' precompiled header.

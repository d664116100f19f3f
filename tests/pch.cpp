// The source that the precompiled header of the tests is made with.

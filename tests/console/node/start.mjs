// Starts the services without earlier data, for all tests of the console (see stack.mjs).
import { openStack } from "./stack.mjs";

await openStack({ fresh: true });

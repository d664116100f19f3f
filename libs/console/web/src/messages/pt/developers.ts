import type { Some } from "../../i18n/index.ts";

export default {} satisfies Some<"developers">;

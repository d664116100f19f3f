// Defines the element <tetrad-feedback>. On a server, where there are no elements, the import has no effect.
import { TetradFeedback } from "./widget/element.js";

export { TetradFeedback };
export type { PostedDetail, SignInDetail, TetradFeedbackEventMap, VotedDetail } from "./widget/element.js";

declare global {
  interface HTMLElementTagNameMap {
    "tetrad-feedback": TetradFeedback;
  }
}

if (typeof customElements !== "undefined" && customElements.get("tetrad-feedback") === undefined)
  customElements.define("tetrad-feedback", TetradFeedback);

/** The user closed the dialog of a step-up. Callers show no error for it. */
export class StepUpCancelled extends Error {
  override name = "StepUpCancelled";
}

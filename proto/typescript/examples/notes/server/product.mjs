/** The product that the app sells, and the feature that it unlocks. The amount is in minor units. */
export const pro = { providerProductId: "notes.pro", name: "Notes Pro", feature: "colours", price: { amount: 1900, currency: "eur" } };
/** The template of all pushes. */
export const templateName = "notes-push";

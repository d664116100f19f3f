import { BillingMethods } from "./generated/billing-methods.js";

/** Client of the service billing: entitlements, feature checks, products, purchase events. */
export class Billing extends BillingMethods {}

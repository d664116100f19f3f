export { isAccountId, useEmail } from "./accounts.ts";
export { StepUpCancelled } from "./cancelled.ts";
export { type Claims } from "./claims.ts";
export { useClients, useConfig, useConsoleSession, useIsOwner, useMe, useSessionState, useTenant, type Clients } from "./context.tsx";
export { currentTenant, otherEnvironmentUrl, type Environment, type Tenant } from "./environment.ts";
export { useStepUp, type StepUpOptions } from "./step-up.tsx";

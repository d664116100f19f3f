import { useQuery } from "@tanstack/react-query";
import { useClients } from "./context.tsx";

/** Whether an account of auth-mfa can have this identifier. Apps may also use identifiers of their own. */
export const isAccountId = (userId: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(userId);

/** The email of an account. Null until it is known, and if auth-mfa has no such account. */
export function useEmail(userId: string, enabled = true): string | null {
  const { auth } = useClients();
  const { data } = useQuery({
    queryKey: ["users", "email", userId],
    queryFn: ({ signal }) => auth.getMember(userId, { signal }).then(({ email }) => email as string | null),
    enabled: enabled && isAccountId(userId),
    staleTime: 300_000,
  });
  return data ?? null;
}

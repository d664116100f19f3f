import { useSession } from "@tetrad/client/react";
import { Welcome } from "./Welcome";
import { Workspace } from "./Workspace";

export function App({ failure }: { failure: string | undefined }) {
  const { user } = useSession();
  // The key gives each user a fresh page.
  return user === null ? <Welcome failure={failure} /> : <Workspace key={user.sub} user={user} />;
}

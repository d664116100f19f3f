import type { ReactNode } from "react";
import { Routes } from "../../router/index.tsx";
import { ErasurePage } from "./erasure.tsx";
import { Erasures } from "./erasures.tsx";
import { UserList } from "./list.tsx";
import { Profile } from "./profile.tsx";
import "./users.css";

/** The area Users. */
export default function UsersArea(): ReactNode {
  return (
    <Routes
      routes={[
        { path: "/console/users", render: () => <UserList /> },
        { path: "/console/users/erasures", render: () => <Erasures /> },
        { path: "/console/users/erasures/:id", render: ({ id }) => <ErasurePage key={id} id={id!} /> },
        { path: "/console/users/:id", render: ({ id }) => <Profile key={id} id={id!} /> },
      ]}
    />
  );
}

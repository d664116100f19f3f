import { TetradProvider } from "@tetrad/client/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import { clients } from "./clients";
import { finishSignIn } from "./sign-in";
import "./style.css";

const failure = await finishSignIn();
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <TetradProvider value={clients}>
      <App failure={failure} />
    </TetradProvider>
  </StrictMode>,
);

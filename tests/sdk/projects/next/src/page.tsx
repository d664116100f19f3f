import { Feedback } from "@tetrad/client";
import { TetradProvider } from "@tetrad/client/react";
import { renderToString } from "react-dom/server";
import { Board } from "./board.js";

const feedback = new Feedback({ baseUrl: process.env["URL_OF_SERVICE"]! });

/** A component of the server: it reads the board before it renders. */
async function Page() {
  const { items } = await feedback.listBoardThreads();
  return (
    <main>
      <h1>{items[0]!.title}</h1>
      <TetradProvider value={{ feedback }}>
        <Board />
      </TetradProvider>
    </main>
  );
}

console.log(renderToString(await Page()));

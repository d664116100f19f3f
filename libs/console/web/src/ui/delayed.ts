import { useEffect, useRef, useState } from "react";

const delayMs = 350;

/** A text that is passed on when the user has stopped typing. Returns the text, its setter, and a function that passes it on at once. */
export function useDelayed(value: string, pass: (value: string) => void): [string, (value: string) => void, () => void] {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const latest = useRef(pass);
  latest.current = pass;
  useEffect(() => {
    if (value !== sent.current) {
      sent.current = value;
      setText(value);
    }
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return undefined;
    const timer = setTimeout(() => {
      sent.current = text;
      latest.current(text);
    }, delayMs);
    return () => clearTimeout(timer);
  }, [text]);
  const flush = (): void => {
    if (text === sent.current) return;
    sent.current = text;
    latest.current(text);
  };
  return [text, setText, flush];
}

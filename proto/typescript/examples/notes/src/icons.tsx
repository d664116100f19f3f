const paths = {
  bell: "M6 9a6 6 0 0 1 12 0c0 6 2.5 7.5 2.5 7.5h-17S6 15 6 9m4 11a2.2 2.2 0 0 0 4 0",
  chat: "M4 5.5h16v11H11l-4.5 3.5v-3.5H4z",
  close: "M6 6l12 12M18 6L6 18",
  key: "M14.5 9.5l-9 9H3v-2.5l9-9m2.5 2.5l-2.5-2.5m2.5 2.5a4 4 0 1 0-2.5-2.5M17 6.5v.01",
  lock: "M6 11h12v9H6zm2.5 0V8a3.5 3.5 0 0 1 7 0v3",
  plus: "M12 5v14M5 12h14",
  sparkle: "M12 3l2.2 6.3L20.5 12l-6.3 2.7L12 21l-2.2-6.3L3.5 12l6.3-2.7z",
  trash: "M5 7h14M9.5 7V4.5h5V7M7 7l.8 13h8.4L17 7",
};

/** A decoration. The text or the label beside it says what it means. */
export function Icon({ name, size = 20 }: { name: keyof typeof paths; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}

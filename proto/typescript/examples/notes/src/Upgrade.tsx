import { useState } from "react";
import { backend } from "./backend";
import { Dialog } from "./Dialog";
import { useAction } from "./useAction";

/** The paywall, and behind it the checkout. The checkout stands in for the page of the card provider. */
export function Upgrade({ onClose, onBought }: { onClose: () => void; onBought: () => Promise<void> }) {
  const [isPaying, setPaying] = useState(false);
  const pay = useAction(async () => {
    await backend.buyPro();
    await onBought();
  });
  if (isPaying)
    return (
      <Dialog title="Checkout" onClose={onClose}>
        <p className="notice">
          <strong>Stand-in of the card provider.</strong> No money moves. The backend sends billing the signed event that the provider would send after a payment.
        </p>
        <dl className="bill">
          <dt>Notes Pro</dt>
          <dd>€19.00</dd>
        </dl>
        <p className="error" role="alert">
          {pay.error}
        </p>
        <div className="buttons">
          <button type="button" className="primary" disabled={pay.isBusy} onClick={() => void pay.run()}>
            Pay €19.00
          </button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="Notes Pro" onClose={onClose}>
      <div className="palette" aria-hidden="true">
        {["sun", "rose", "sky", "mint", "violet"].map((colour) => (
          <i key={colour} data-colour={colour} />
        ))}
      </div>
      <ul className="benefits">
        <li>Five colours for your notes, made for light and dark mode</li>
        <li>One payment, no subscription</li>
        <li>Yours at once, on all your devices</li>
      </ul>
      <p className="price">
        €19 <span className="muted">once</span>
      </p>
      <div className="buttons">
        <button type="button" className="quiet" onClick={onClose}>
          Not now
        </button>
        <button type="button" className="primary" onClick={() => setPaying(true)}>
          Buy Notes Pro
        </button>
      </div>
    </Dialog>
  );
}

import {
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from "react-aria-components/Toast";
import { Button } from "./button.tsx";
import "./toast.css";

interface Message {
  readonly kind: "success" | "error";
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => Promise<void> };
}

/** How long a message without an error is shown. Pointing at it stops the time. */
const SHOWN_MS = 8000;

const queue = new ToastQueue<Message>({ maxVisibleToasts: 4 });

/**
 * Shows a message at the edge of the page. Errors stay until they are closed.
 *
 * @param onClose called when the message disappears
 * @returns a function that closes the message, for one that is no longer true
 */
export function showToast(message: Message, onClose?: () => void): () => void {
  const key = queue.add(message, {
    ...(message.kind !== "error" && { timeout: SHOWN_MS }),
    ...(onClose !== undefined && { onClose }),
  });
  return () => queue.close(key);
}

/** Where messages appear. Screen readers announce them. */
export function Toasts() {
  return (
    <ToastRegion queue={queue} className="toasts" aria-label="Messages">
      {({ toast }) => (
        <Toast toast={toast} className={`toast toast-${toast.content.kind}`}>
          <ToastContent className="toast-content">
            <Text slot="title">{toast.content.text}</Text>
          </ToastContent>
          {toast.content.action && (
            <Button
              size="small"
              onPress={() => {
                queue.close(toast.key);
                void toast.content.action?.run();
              }}
            >
              {toast.content.action.label}
            </Button>
          )}
          <Button slot="close" size="small" variant="quiet">
            Close
          </Button>
        </Toast>
      )}
    </ToastRegion>
  );
}

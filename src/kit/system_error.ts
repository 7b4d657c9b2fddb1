/** The runtime's names for what the system refuses. They may have no code. */
const NAMES = new Set([
  ...["NotFound", "PermissionDenied", "NotCapable", "AlreadyExists", "IsADirectory", "NotADirectory"],
  ...["FilesystemLoop", "Busy", "BrokenPipe", "WouldBlock", "TimedOut", "Interrupted", "UnexpectedEof"],
  ...["ConnectionRefused", "ConnectionReset", "ConnectionAborted", "NotConnected", "AddrInUse"],
  ...["AddrNotAvailable", "NetworkUnreachable", "WriteZero", "BadResource"],
]);

/**
 * Whether an error is the system's (a file, a disk, a permission) and none of rollcall's own: it has the system's code,
 * such as ENOSPC, or its number, or the runtime has a class for it.
 */
export function isSystemError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return (typeof code === "string" && /^E[A-Z0-9]+$/.test(code)) || /\(os error \d+\)/.test(error.message) ||
    NAMES.has(error.name);
}

/** A text without the numbers of the system's errors. */
export function withoutErrorNumbers(text: string): string {
  return text.replace(/ \(os error \d+\)/g, "");
}

/** What the system says about a file that cannot be used, without numbers and calls that help nobody. */
export function systemReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // The runtime goes on with how it has to be called, which is not for those who call rollcall.
  const [, access] = /^Requires (.*?)(?: to .*)?, (?:run again with|specify the required)/s.exec(message) ??
    [];
  if (access !== undefined) return `no permission for it (${access})`;
  return message.replace(/ \(os error \d+\)[\s\S]*$/, "").replace(/\.$/, "");
}

/** Where that was, as ` (/a/path)`; empty when the error does not say. */
export function systemPlace(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, path] = /\(os error \d+\).*?'(.*)'$/s.exec(message) ?? / to "(.*?)",/s.exec(message) ?? [];
  return path === undefined ? "" : ` (${path})`;
}

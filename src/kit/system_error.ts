/** The runtime's classes for system errors, which may lack a code. */
const NAMES = new Set([
  ...["NotFound", "PermissionDenied", "NotCapable", "AlreadyExists", "IsADirectory", "NotADirectory"],
  ...["FilesystemLoop", "Busy", "BrokenPipe", "WouldBlock", "TimedOut", "Interrupted", "UnexpectedEof"],
  ...["ConnectionRefused", "ConnectionReset", "ConnectionAborted", "NotConnected", "AddrInUse"],
  ...["AddrNotAvailable", "NetworkUnreachable", "WriteZero", "BadResource"],
]);

/**
 * Whether an error comes from the system (a file, a disk, a permission), not from rollcall: it has the system's code,
 * such as ENOSPC, or its number, or the runtime has a class for it.
 */
export function isSystemError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return (typeof code === "string" && /^E[A-Z0-9]+$/.test(code)) || /\(os error \d+\)/.test(error.message) ||
    NAMES.has(error.name);
}

/** A message without system error numbers. */
export function withoutErrorNumbers(text: string): string {
  return text.replace(/ \(os error \d+\)/g, "");
}

/** Why the system could not use a file, without error numbers and call names. */
export function systemReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // The runtime adds which flag to run it with, which is of no use to users of rollcall.
  const [, access] = /^Requires (.*?)(?: to .*)?, (?:run again with|specify the required)/s.exec(message) ??
    [];
  if (access !== undefined) return `no permission for it (${access})`;
  return message.replace(/ \(os error \d+\)[\s\S]*$/, "").replace(/\.$/, "");
}

/** The path it concerns, as ` (/a/path)`; empty when the error does not name one. */
export function systemPlace(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, path] = /\(os error \d+\).*?'(.*)'$/s.exec(message) ?? / to "(.*?)",/s.exec(message) ?? [];
  return path === undefined ? "" : ` (${path})`;
}

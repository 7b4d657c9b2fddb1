/** What the system says about a file that cannot be used, without numbers and calls that help nobody. */
export function systemReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/ \(os error \d+\)[\s\S]*$/, "").replace(/\.$/, "");
}

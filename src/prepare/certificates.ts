/** Certificate authorities that a run trusts besides those of the system. */
import type { Config } from "../config/config.ts";
import { UsageFault } from "../kit/fault.ts";
import { systemReason } from "../kit/system_error.ts";
import type { World } from "../ports/world.ts";
import { ifMissing } from "./nearest_file.ts";

/** The texts of further certificate authorities. @throws {UsageFault} naming the file that cannot be read */
export async function readAuthorities(config: Pick<Config, "ca">, { disk, env }: World): Promise<string[]> {
  const named = [["ca", config.ca], ["SSL_CERT_FILE", env("SSL_CERT_FILE")]] as const;
  const texts: string[] = [];
  for (const [name, path] of named) {
    if (!path) continue;
    let text: string;
    try {
      text = await disk.readText(path);
    } catch (error) {
      throw new UsageFault(
        `Cannot read the certificates in ${path} (${name}): ${systemReason(error)}.${ifMissing(path, disk)}`,
        { cause: error },
      );
    }
    if (!text.includes("-----BEGIN CERTIFICATE-----")) {
      throw new UsageFault(`There is no certificate in ${path} (${name}): it has to be a PEM file.`);
    }
    texts.push(text);
  }
  return texts;
}

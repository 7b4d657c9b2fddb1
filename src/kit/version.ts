import manifest from "../../deno.json" with { type: "json" };

/** The version of this rollcall. */
export const VERSION: string = manifest.version;

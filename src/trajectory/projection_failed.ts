/** Why no trajectory can be built. */

/** A result that no trajectory can be built for; the gap that says so names the kind of the error, as Gym's does. */
export class ProjectionFailed extends Error {
  override readonly name = "ProjectionFailed";

  constructor(
    /** The class that Gym's error would have. */
    readonly kind: "ValidationError" | "TypeError" | "AttributeError",
  ) {
    super(kind);
  }
}

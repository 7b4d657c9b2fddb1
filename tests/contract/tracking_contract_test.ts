import { FakeMlflow } from "../fakes/fake_mlflow.ts";
import { trackingContract } from "./tracking_contract.ts";

const fake = new FakeMlflow();
let names = 0;
trackingContract("FakeMlflow", () => fake, () => `name${names++}`);

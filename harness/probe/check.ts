/** One mechanism of this machine: there or not, whether a run needs it, and a sentence for people. */
export interface Check {
  readonly name: string;
  readonly available: boolean;
  /** `needed`: without it nothing runs. `used`: a run is stronger with it. `information`: nothing depends on it yet. */
  readonly weight: 'needed' | 'used' | 'information';
  readonly detail: string;
}

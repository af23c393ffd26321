/** Download progress of the engine: with its network, it is by far the largest file of the page. */

class EngineLoad {
  /** Share that has been downloaded, from 0 to 1; also 1 before the engine is first requested. */
  share = $state(1);

  get isLoading(): boolean {
    return this.share < 1;
  }

  get percent(): number {
    return Math.floor(this.share * 100);
  }

  /** Follows the progress of a worker that loads the engine. */
  follow(worker: Worker): void {
    this.share = 0;
    worker.addEventListener("message", (event: MessageEvent<{ loaded?: number }>) => {
      if (event.data.loaded !== undefined) this.share = event.data.loaded;
    });
    worker.addEventListener("error", () => this.end());
  }

  /** Marks the download as finished, because it failed or its worker was terminated. */
  end(): void {
    this.share = 1;
  }
}

export const engineLoad = new EngineLoad();

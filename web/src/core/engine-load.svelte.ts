/** How much of the engine has arrived: with its network it is by far the largest file of the page. */

class EngineLoad {
  /** From 0 to 1; 1 also before anybody asks for the engine. */
  share = $state(1);

  get isLoading(): boolean {
    return this.share < 1;
  }

  get percent(): number {
    return Math.floor(this.share * 100);
  }

  /** Follows a worker that loads the engine. */
  follow(worker: Worker): void {
    this.share = 0;
    worker.addEventListener("message", (event: MessageEvent<{ loaded?: number }>) => {
      if (event.data.loaded !== undefined) this.share = event.data.loaded;
    });
    worker.addEventListener("error", () => this.end());
  }

  /** Nothing is under way any more: it failed, or its worker was ended. */
  end(): void {
    this.share = 1;
  }
}

export const engineLoad = new EngineLoad();

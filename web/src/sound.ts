/** Six short synthesized sounds; no recordings and no licenses are needed. */

import { settings } from "./state/settings.svelte";

export type Sound = "move" | "capture" | "check" | "end" | "low" | "refuse";

let context: AudioContext | undefined;

/** A knock on wood, or a tone. */
interface Stroke {
  from: number;
  to: number;
  seconds: number;
  gain: number;
  delay?: number;
  type?: OscillatorType;
}

const STROKES: Record<Sound, Stroke[]> = {
  move: [{ from: 320, to: 140, seconds: 0.07, gain: 0.35, type: "triangle" }],
  capture: [
    { from: 420, to: 120, seconds: 0.06, gain: 0.4, type: "triangle" },
    { from: 240, to: 90, seconds: 0.09, gain: 0.35, delay: 0.05, type: "triangle" },
  ],
  check: [
    { from: 320, to: 140, seconds: 0.07, gain: 0.35, type: "triangle" },
    { from: 660, to: 640, seconds: 0.16, gain: 0.12, delay: 0.06, type: "sine" },
  ],
  end: [
    { from: 392, to: 392, seconds: 0.35, gain: 0.13, type: "sine" },
    { from: 523, to: 523, seconds: 0.5, gain: 0.13, delay: 0.16, type: "sine" },
  ],
  low: [{ from: 880, to: 880, seconds: 0.12, gain: 0.1, type: "sine" }],
  refuse: [{ from: 150, to: 110, seconds: 0.12, gain: 0.2, type: "square" }],
};

/** Plays a sound, if the user has sounds on and the browser allows it. */
export function play(sound: Sound): void {
  if (!settings.sounds || settings.volume <= 0 || typeof AudioContext === "undefined") return;
  try {
    context ??= new AudioContext();
    if (context.state === "suspended") void context.resume();
    for (const stroke of STROKES[sound]) strike(context, stroke);
  } catch {
    // Without an audio device there is nothing to play.
  }
}

/** Returns the factor for a volume in percent. Ears notice ratios, so half the volume is a quarter of the gain. */
export const loudness = (percent: number): number => (Math.max(0, Math.min(100, percent)) / 100) ** 2 / 0.64;

function strike(audio: AudioContext, stroke: Stroke): void {
  const begin = audio.currentTime + (stroke.delay ?? 0);
  const end = begin + stroke.seconds;
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.type = stroke.type ?? "sine";
  tone.frequency.setValueAtTime(stroke.from, begin);
  tone.frequency.exponentialRampToValueAtTime(stroke.to, end);
  volume.gain.setValueAtTime(stroke.gain * loudness(settings.volume), begin);
  volume.gain.exponentialRampToValueAtTime(0.001, end);
  tone.connect(volume).connect(audio.destination);
  tone.start(begin);
  tone.stop(end);
}

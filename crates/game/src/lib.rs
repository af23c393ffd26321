//! The played game as a pure state machine: seats, clocks, offers, claims, touch-move.

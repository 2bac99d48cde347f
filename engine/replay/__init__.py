"""Real hands, replayed: files of recorded hands are read, played through the engine, and held against their records."""

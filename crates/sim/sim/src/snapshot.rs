//! Snapshots of a world: writing, restoring and hashing.

use rapier3d_f64::math::Vector;
use rapier3d_f64::prelude::PhysicsWorld;
use regrasp_api::{GripperCommand, Snapshot, SnapshotError};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::simulation::Simulation;
use crate::state::State;
use crate::{Result, SimError};

const MAGIC: &[u8; 8] = b"RGSPSIM3";
/// Length of the header in bytes: magic, identity of the world, checksum of the rest.
const HEADER_LEN: usize = 24;

#[derive(Serialize)]
struct Frozen<'a> {
    state: &'a State,
    physics: &'a PhysicsWorld,
}

#[derive(Deserialize)]
struct Thawed {
    state: State,
    physics: PhysicsWorld,
}

/// Hash of a world's initial physics, names and options, so that a snapshot of another world is
/// refused.
pub(crate) fn identity(
    physics: &PhysicsWorld,
    names: &[String],
    options: &crate::SimOptions,
) -> Result<u64> {
    let bytes = postcard::to_stdvec(&(physics, names, options)).map_err(SimError::encode)?;
    Ok(xxh3_64(&bytes))
}

impl Simulation {
    pub(crate) fn snapshot(&self) -> Result<Snapshot, SnapshotError> {
        let frozen = Frozen {
            state: &self.state,
            physics: &self.physics,
        };
        let mut bytes = Vec::with_capacity(1 << 19);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&self.layout.identity.to_le_bytes());
        bytes.extend_from_slice(&[0; 8]);
        // Every sequence in the snapshot has a known length, so this cannot fail.
        let mut bytes = postcard::to_extend(&frozen, bytes)
            .map_err(|error| SnapshotError::Corrupt(error.to_string()))?;
        let checksum = xxh3_64(&bytes[HEADER_LEN..]);
        bytes[16..HEADER_LEN].copy_from_slice(&checksum.to_le_bytes());
        Ok(Snapshot { bytes })
    }

    pub(crate) fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let corrupt = |what: &str| SnapshotError::Corrupt(what.to_owned());
        let parts = snapshot.bytes.split_at_checked(HEADER_LEN);
        let (header, body) = parts.ok_or_else(|| corrupt("it is too short"))?;
        if &header[..8] != MAGIC {
            return Err(corrupt("it is not a snapshot of a simulated world"));
        }
        let number = |range: std::ops::Range<usize>| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&header[range]);
            u64::from_le_bytes(bytes)
        };
        // The checksum comes first, so that the code below may trust the bytes.
        if number(16..24) != xxh3_64(body) {
            return Err(corrupt("its checksum does not match"));
        }
        let identity = number(8..16);
        if identity != self.layout.identity {
            return Err(SnapshotError::OtherWorld(format!(
                "world {identity:016x}, this is {:016x}",
                self.layout.identity
            )));
        }
        let thawed: Thawed =
            postcard::from_bytes(body).map_err(|error| corrupt(&error.to_string()))?;
        self.physics = thawed.physics;
        self.state = thawed.state;
        self.joints.read(&self.physics, &self.layout.robot);
        self.observers.wake();
        self.show();
        Ok(())
    }

    pub(crate) fn state_digest(&self) -> u64 {
        let mut digest = Digest(Xxh3::new());
        digest.0.update(&self.state.step.to_le_bytes());
        digest.number(self.reading().time_secs());
        let joints = &self.joints;
        digest.numbers(&joints.arm_q);
        digest.numbers(&joints.arm_v);
        digest.numbers(&joints.finger_q);
        digest.numbers(&joints.finger_v);
        let objects = self.layout.objects.iter().map(|object| object.body);
        for handle in objects.chain(self.layout.robot.moving.iter().copied()) {
            if let Some(body) = self.physics.bodies.get(handle) {
                digest.vector(body.position().translation);
                digest.numbers(&body.position().rotation.to_array());
                digest.vector(body.linvel());
                digest.vector(body.angvel());
                digest.0.update(&[u8::from(body.is_enabled())]);
            }
        }
        for press in &self.state.presses {
            digest.0.update(&press.count.to_le_bytes());
        }
        digest.command(&self.state.grip.command);
        digest.number(self.state.grip.setpoint);
        digest.0.digest()
    }
}

struct Digest(Xxh3);

impl Digest {
    fn number(&mut self, number: f64) {
        self.0.update(&number.to_bits().to_le_bytes());
    }

    fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|number| self.number(*number));
    }

    fn vector(&mut self, vector: Vector) {
        self.numbers(&vector.to_array());
    }

    fn command(&mut self, command: &GripperCommand) {
        match command {
            GripperCommand::MoveTo {
                width_m,
                speed_m_per_s,
            } => self.numbers(&[0.0, *width_m, *speed_m_per_s]),
            GripperCommand::Grasp {
                force_n,
                speed_m_per_s,
            } => self.numbers(&[1.0, *force_n, *speed_m_per_s]),
        }
    }
}

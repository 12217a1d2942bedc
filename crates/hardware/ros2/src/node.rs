//! A node on the network: its settings, topics and actions.

use std::net::{IpAddr, Ipv4Addr};

use ros2_client::action::{
    ActionClient, ActionClientQosPolicies, ActionServerQosPolicies, AsyncActionServer,
};
use ros2_client::qos::{Durability, History, Reliability, WhenFull};
use ros2_client::{
    ActionTypeName, Context, Name, Node, NodeName, NodeOptions, Publisher, QosProfile,
    ServiceMapping, Subscription,
};
use rustdds::DomainParticipantBuilder;
use serde::{Deserialize, Serialize};

use crate::messages::{Sent, Topic};

/// Settings of a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, smart_default::SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct NodeSettings {
    /// ROS domain ID.
    pub domain: u16,
    /// Namespace of the node and its topics, `/` or `/name`.
    #[default("/".into())]
    pub namespace: String,
    /// Addresses of the network interfaces that are used; by default only loopback, so that
    /// nothing leaves the machine.
    #[default(vec![Ipv4Addr::LOCALHOST.into()])]
    pub interfaces: Vec<IpAddr>,
    /// Middleware of the other ROS nodes.
    pub middleware: Middleware,
}

/// Middleware of the other ROS nodes. Each encodes services and actions differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Middleware {
    /// `rmw_fastrtps_cpp`, the default of ROS 2, and `rmw_connextdds`.
    #[default]
    Fastrtps,
    /// `rmw_cyclonedds_cpp`.
    Cyclone,
}

/// Reason why a node cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {why}")]
pub struct NodeError {
    what: String,
    why: String,
}

impl NodeError {
    pub(crate) fn of(what: impl Into<String>, why: impl std::fmt::Debug) -> Self {
        Self {
            what: what.into(),
            why: format!("{why:?}"),
        }
    }
}

/// Delivery of the messages of a topic.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// Present subscribers get the messages; the last few are kept for slow ones.
    Stream,
    /// Later subscribers get the last message, too.
    Latched,
}

/// A node with its settings.
pub(crate) struct RosNode {
    pub(crate) node: Node,
    settings: NodeSettings,
}

const DEPTH: usize = 10;

fn reliable(durability: Durability, depth: usize) -> QosProfile {
    QosProfile::publisher_default()
        .reliability(Reliability::Reliable {
            when_full: WhenFull::DEFAULT,
        })
        .durability(durability)
        .history(History::KeepLast { depth })
}

impl Delivery {
    fn qos(self) -> QosProfile {
        match self {
            Self::Stream => reliable(Durability::Volatile, DEPTH),
            Self::Latched => reliable(Durability::TransientLocal, 1),
        }
    }
}

impl RosNode {
    /// Opens a node on the interfaces of the settings.
    pub(crate) fn open(name: &str, settings: &NodeSettings) -> Result<Self, NodeError> {
        let participant = DomainParticipantBuilder::new(settings.domain)
            .with_only_networks(settings.interfaces.iter().copied())
            .build()
            .map_err(|why| NodeError::of("open the ROS 2 domain", why))?;
        let context = Context::from_domain_participant(participant)
            .map_err(|why| NodeError::of("open the ROS 2 context", why))?;
        let named = NodeName::new(&settings.namespace, name)
            .map_err(|why| NodeError::of(format!("name the node `{name}`"), why))?;
        let options = NodeOptions::new()
            .enable_rosout(false)
            .start_parameter_services(false);
        let node = context
            .new_node(named, options)
            .map_err(|why| NodeError::of("start the ROS 2 node", why))?;
        Ok(Self {
            node,
            settings: settings.clone(),
        })
    }

    /// Returns the task that keeps the graph of nodes up to date. It runs until the node is
    /// dropped.
    pub(crate) fn spin(&mut self) -> Result<impl Future<Output = ()> + use<>, NodeError> {
        let spinner = self.node.spinner();
        let spinner = spinner.map_err(|why| NodeError::of("watch the ROS 2 graph", why))?;
        Ok(async move {
            // The spinner ends when the node is dropped.
            drop(spinner.spin().await);
        })
    }

    fn name(&self, name: &str) -> Result<Name, NodeError> {
        let path = match name.starts_with('/') {
            true => name.to_owned(),
            false => format!("{}/{name}", self.settings.namespace.trim_end_matches('/')),
        };
        let (space, base) = path.rsplit_once('/').unwrap_or(("", &path));
        let space = if space.is_empty() { "/" } else { space };
        Name::new(space, base).map_err(|why| NodeError::of(format!("use the name `{name}`"), why))
    }

    /// Publishes a topic; a name that begins with `/` is outside the namespace.
    pub(crate) fn publisher<M: Topic + 'static>(
        &mut self,
        name: &str,
        delivery: Delivery,
    ) -> Result<Publisher<M>, NodeError> {
        let of = |why| NodeError::of(format!("publish `{name}`"), why);
        let full = self.name(name)?;
        let topic = self
            .node
            .create_topic(&full, M::type_name(), &delivery.qos());
        self.node
            .create_publisher(&topic.map_err(of)?, None)
            .map_err(of)
    }

    /// Subscribes to a topic whose publisher may be best effort.
    pub(crate) fn subscription<M: Topic + 'static>(
        &mut self,
        name: &str,
    ) -> Result<Subscription<M>, NodeError> {
        let of = |why| NodeError::of(format!("subscribe to `{name}`"), why);
        let full = self.name(name)?;
        let qos = QosProfile::subscription_default().history(History::KeepLast { depth: DEPTH });
        let topic = self.node.create_topic(&full, M::type_name(), &qos);
        self.node
            .create_subscription(&topic.map_err(of)?, None)
            .map_err(of)
    }

    fn mapping(&self) -> ServiceMapping {
        match self.settings.middleware {
            Middleware::Fastrtps => ServiceMapping::Enhanced,
            Middleware::Cyclone => ServiceMapping::Cyclone,
        }
    }

    pub(crate) fn action_server<G: Sent, R: Sent, F: Sent>(
        &mut self,
        name: &str,
        kind: &ActionTypeName,
    ) -> Result<AsyncActionServer<G, R, F>, NodeError> {
        let (full, mapping) = (self.name(name)?, self.mapping());
        let qos = ActionServerQosPolicies {
            goal_service: Delivery::Stream.qos(),
            result_service: Delivery::Stream.qos(),
            cancel_service: Delivery::Stream.qos(),
            feedback_publisher: Delivery::Stream.qos(),
            status_publisher: Delivery::Latched.qos(),
        };
        let server = self.node.create_action_server(mapping, &full, kind, qos);
        let server = server.map_err(|why| NodeError::of(format!("offer `{name}`"), why))?;
        Ok(AsyncActionServer::new(server))
    }

    pub(crate) fn action_client<G: Sent, R: Sent, F: Sent>(
        &mut self,
        name: &str,
        kind: &ActionTypeName,
    ) -> Result<ActionClient<G, R, F>, NodeError> {
        let (full, mapping) = (self.name(name)?, self.mapping());
        let qos = ActionClientQosPolicies {
            goal_service: Delivery::Stream.qos(),
            result_service: Delivery::Stream.qos(),
            cancel_service: Delivery::Stream.qos(),
            feedback_subscription: Delivery::Stream.qos(),
            status_subscription: Delivery::Latched.qos(),
        };
        let client = self.node.create_action_client(mapping, &full, kind, qos);
        client.map_err(|why| NodeError::of(format!("use the action `{name}`"), why))
    }
}
